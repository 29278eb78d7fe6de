//! The file: a header of lines "name value", then a body of numbers.

/// Why a certificate is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    Format,
    Table,
    Tree,
    Cost,
    Length,
    Size,
    Set,
    Citation,
    Rule,
    Counting,
    Leaf,
    Stump,
    Threshold,
    Split,
    Conclusion,
    /// The caller stopped the check.
    Stopped,
}

pub(crate) fn require(holds: bool, reason: Reason) -> Result<(), Reason> {
    if holds {
        Ok(())
    } else {
        Err(reason)
    }
}

/// `u64::MAX` stands for no limit.
pub(crate) const NO_LIMIT: u64 = u64::MAX;

/// A quantity that is minimized: errors or their costs, with leaf prices; inner nodes; or depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    Errors,
    Size,
    Depth,
}

/// The statement of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub table: String,
    pub rows: u64,
    pub features: u64,
    pub classes: u64,
    /// By feature, how it is split.
    pub splits: String,
    pub weight_scale: u64,
    pub error_price: u64,
    pub leaf_price: u64,
    /// By true class and by prediction, in the unit of the prices; `None` for plain errors.
    pub class_costs: Option<Vec<u64>>,
    /// The most important quantity first.
    pub minimize: Vec<Quantity>,
    pub max_depth: u64,
    pub max_size: u64,
    pub max_errors: u64,
    /// Of every leaf; 0 allows empty leaves.
    pub min_rows: u64,
    /// By quantity; `None` without a tree.
    pub cost: Option<Vec<u64>>,
    /// By quantity; `None` if no tree is within the limits.
    pub lower_bound: Option<Vec<u64>>,
    /// "none" without a tree.
    pub tree: String,
    pub sets: u64,
    pub claims: u64,
}

impl Header {
    /// The header and the body of a file.
    pub(crate) fn read(content: &[u8]) -> Result<(Header, &[u8]), Reason> {
        let mut rest = content;
        if line(&mut rest)? != b"exactree-certificate 1" {
            return Err(Reason::Format);
        }
        let header = Header {
            table: text(&mut rest, "table")?,
            rows: field(&mut rest, "rows")?,
            features: field(&mut rest, "features")?,
            classes: field(&mut rest, "classes")?,
            splits: text(&mut rest, "splits")?,
            weight_scale: field(&mut rest, "weight-scale")?,
            error_price: field(&mut rest, "error-price")?,
            leaf_price: field(&mut rest, "leaf-price")?,
            class_costs: numbers(&text(&mut rest, "class-costs")?)?,
            minimize: quantities(&text(&mut rest, "minimize")?)?,
            max_depth: limit(&mut rest, "max-depth")?,
            max_size: limit(&mut rest, "max-size")?,
            max_errors: limit(&mut rest, "max-errors")?,
            min_rows: field(&mut rest, "min-rows")?,
            cost: numbers(&text(&mut rest, "cost")?)?,
            lower_bound: numbers(&text(&mut rest, "lower-bound")?)?,
            tree: text(&mut rest, "tree")?,
            sets: field(&mut rest, "sets")?,
            claims: field(&mut rest, "claims")?,
        };
        let length = header.minimize.len();
        let fits = [&header.cost, &header.lower_bound]
            .iter()
            .all(|numbers| numbers.as_ref().map_or(true, |numbers| numbers.len() == length))
            && header.cost.is_none() == (header.tree == "none")
            // A limit of the errors limits no other costs.
            && (header.max_errors == NO_LIMIT
                || header.leaf_price == 0 && header.class_costs.is_none());
        if line(&mut rest)? != b"body" || !fits {
            return Err(Reason::Format);
        }
        Ok((header, rest))
    }

    /// The cost of a tree with these errors and leaves. Costs of classes have the unit of the prices.
    pub(crate) fn cost(&self, errors: u64, leaves: u64) -> u128 {
        let price = if self.class_costs.is_none() { self.error_price } else { 1 };
        u128::from(price) * u128::from(errors) + u128::from(self.leaf_price) * u128::from(leaves)
    }
}

/// Takes the next line.
fn line<'c>(rest: &mut &'c [u8]) -> Result<&'c [u8], Reason> {
    let end = rest.iter().position(|&byte| byte == b'\n').ok_or(Reason::Format)?;
    let line = &rest[..end];
    *rest = &rest[end + 1..];
    Ok(line)
}

/// Takes the next line, which must have this name, and returns its value.
fn text(rest: &mut &[u8], name: &str) -> Result<String, Reason> {
    let line = line(rest)?;
    let value = line.strip_prefix(name.as_bytes()).and_then(|value| value.strip_prefix(b" "));
    // Bytes beyond ASCII are read as Latin-1; nothing accepts them.
    Ok(value.ok_or(Reason::Format)?.iter().map(|&byte| byte as char).collect())
}

fn field(rest: &mut &[u8], name: &str) -> Result<u64, Reason> {
    number(&text(rest, name)?).ok_or(Reason::Format)
}

fn limit(rest: &mut &[u8], name: &str) -> Result<u64, Reason> {
    let value = text(rest, name)?;
    if value == "none" {
        Ok(NO_LIMIT)
    } else {
        number(&value).ok_or(Reason::Format)
    }
}

/// Different quantities, separated by spaces.
fn quantities(text: &str) -> Result<Vec<Quantity>, Reason> {
    let mut found = Vec::new();
    for name in text.split(' ') {
        let quantity = match name {
            "errors" => Quantity::Errors,
            "size" => Quantity::Size,
            "depth" => Quantity::Depth,
            _ => return Err(Reason::Format),
        };
        if found.contains(&quantity) {
            return Err(Reason::Format);
        }
        found.push(quantity);
    }
    Ok(found)
}

/// Numbers separated by spaces, or "none".
fn numbers(text: &str) -> Result<Option<Vec<u64>>, Reason> {
    if text == "none" {
        return Ok(None);
    }
    text.split(' ')
        .map(|text| number(text).ok_or(Reason::Format))
        .collect::<Result<_, _>>()
        .map(Some)
}

/// A number below 2^64 - 1 in at most 20 decimal digits.
pub(crate) fn number(text: &str) -> Option<u64> {
    let digits = text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit());
    let value = if digits { text.parse().ok() } else { None };
    value.filter(|&value| value < NO_LIMIT)
}

/// The numbers of a body: 7 bits a byte, lowest first; the high bit says that more follow.
pub(crate) struct Body<'b> {
    pub rest: &'b [u8],
}

impl Body<'_> {
    pub(crate) fn number(&mut self) -> Result<u64, Reason> {
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or(Reason::Length)?;
            self.rest = rest;
            let bits = u64::from(byte & 127);
            if shift == 63 && bits > 1 {
                return Err(Reason::Length);
            }
            value |= bits << shift;
            if byte < 128 {
                return Ok(value);
            }
        }
        Err(Reason::Length)
    }

    /// A limit: 0 means none, k + 1 means k.
    pub(crate) fn limit(&mut self) -> Result<u64, Reason> {
        Ok(self.number()?.wrapping_sub(1))
    }
}
