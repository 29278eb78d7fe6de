//! The order in which a hyperplane that turns around a flat passes the other points.
//!
//! Two independent linear forms vanish on the flat: determinants of its edges and a point, each
//! without one column. Their values at a point are its *direction* from the flat, a vector of two
//! numbers; the hyperplane passes points in the order of the angles of their directions, where
//! opposite directions count as equal. Directions are computed in floating point, with a bound on
//! the errors of their angles. A direction that is too inaccurate is computed in integers, and then
//! rounded; angles that are too close to compare are compared by exact cross products.
//!
//! Length: one workspace, whose bounds on errors must be read together.

use super::exact::{Exact, Magnitude, form, minors};
use super::points::{Cloud, INDEX_BITS};
use std::cmp::Ordering;

/// Limits on the accuracy of the angles around a flat. Accurate angles require more exact directions,
/// and others more exact comparisons.
const ANGLES: (f64, f64) = (1e-11, 1e-6);
/// Directions longer than this share of the longest are accurate, if the limits allow it.
const SHARE: f64 = 0.01;
/// Directions that differ by less than this number of errors, as the sine of their angle, are
/// compared exactly: two errors of angles, and roundings; lengths are sums of absolute values, at most
/// 1.5 times the length.
const SINES: f64 = 16.0;
/// A key is an angle between 0 and 2 in these units; 8 errors of angles are as many errors of a key.
pub(super) const KEY_UNIT: f64 = (1_u64 << 43) as f64;
const KEYS: f64 = 8.0;
/// An upper bound on errors by underflow.
const TINY: f64 = 1e-280;
const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;

/// Turns of a hyperplane around flats, with the workspace that they need.
pub(super) struct Turn<'a, T> {
    pub cloud: &'a Cloud<T>,
    /// After `sort`: the points that are not on the flat, in the order in which they are passed.
    pub order: Vec<u32>,
    /// After `sort`: the ends of the groups in `order` that are passed at the same time.
    pub ends: Vec<usize>,
    /// By point with a key, and after `sort` by point: whether it is on the left at the start.
    pub starts_left: Vec<bool>,
    /// After `sort`: the points on the flat, in increasing order.
    pub on: Vec<u32>,
    /// Before `sort`: the angles of points that are not in doubt, with their numbers.
    pub keys: Vec<u64>,
    /// Keys that differ by at most this may be in the wrong order.
    pub tolerance: u64,
    /// Number of directions that were computed exactly.
    pub exact_directions: u64,
    /// A bound on the errors of angles in radians.
    angle: f64,
    /// By how much directions are multiplied.
    scale: [f64; 2],
    /// The points whose directions are not accurate enough; until `sort` these are zero.
    inaccurate: Vec<u32>,
    flat: Flat<T>,
    directions: [Vec<f64>; 2],
}

/// The linear forms that vanish on a flat.
struct Flat<T> {
    chosen: Vec<u32>,
    /// The columns without which the two forms are determinants.
    omitted: [usize; 2],
    /// Whether `exact_forms` belong to the flat.
    has_exact: bool,
    exact_forms: [Vec<T>; 2],
    exact_minors: Vec<T>,
    edges: Vec<f64>,
    minors: Vec<f64>,
    bounds: Vec<Magnitude>,
    edge_bounds: Vec<Magnitude>,
    forms: [Vec<f64>; 2],
    form_bounds: [Vec<Magnitude>; 2],
}

impl<'a, T: Exact> Turn<'a, T> {
    pub(super) fn new(cloud: &'a Cloud<T>) -> Self {
        let n = cloud.len();
        let flat = Flat {
            chosen: Vec::new(),
            omitted: [0, 1],
            has_exact: false,
            exact_forms: Default::default(),
            exact_minors: Vec::new(),
            edges: Vec::new(),
            minors: Vec::new(),
            bounds: Vec::new(),
            edge_bounds: Vec::new(),
            forms: Default::default(),
            form_bounds: Default::default(),
        };
        Turn {
            cloud,
            order: Vec::with_capacity(n),
            ends: Vec::with_capacity(n),
            starts_left: vec![false; n],
            on: Vec::new(),
            keys: Vec::with_capacity(n),
            tolerance: 0,
            exact_directions: 0,
            angle: 0.0,
            scale: [1.0; 2],
            inaccurate: Vec::new(),
            flat,
            directions: [vec![0.0; n], vec![0.0; n]],
        }
    }

    /// Turns around the flat through r - 1 points, in increasing order: finds the keys of the points
    /// that are not in doubt. Returns false if the points are not independent.
    pub(super) fn around(&mut self, chosen: &[u32]) -> bool {
        let Some(errors) = self.place_flat(chosen) else { return false };
        self.find_directions(errors);
        self.find_angles(false);
        true
    }

    /// Finds the order of all points: sorts them by their angles, and those in doubt and those
    /// whose keys are too close by exact angles. Returns false if the chosen points do not begin with the
    /// first two of the flat: an earlier subset spans it.
    pub(super) fn sort(&mut self) -> bool {
        for at in 0..self.inaccurate.len() {
            let point = self.inaccurate[at] as usize;
            let direction = self.rounded_exactly(point);
            [self.directions[0][point], self.directions[1][point]] = direction;
        }
        self.on.clear();
        let [a, b] = &self.directions;
        let points = 0..self.cloud.len();
        self.on.extend(points.filter(|&j| a[j] == 0.0 && b[j] == 0.0).map(|j| j as u32));
        let chosen = &self.flat.chosen;
        let is_first = self.on.len() == chosen.len()
            || chosen.len() < 2
            || (self.on[0] == chosen[0] && self.on[1] == chosen[1]);
        if !is_first || self.on.len() == self.cloud.len() {
            return false;
        }
        self.find_angles(true);
        self.group();
        true
    }

    /// Chooses the two forms of a flat; returns bounds on the errors of their values in floating
    /// point, infinite if these are useless; `None` if the points are dependent.
    fn place_flat(&mut self, chosen: &[u32]) -> Option<[f64; 2]> {
        let (cloud, flat, r) = (self.cloud, &mut self.flat, self.cloud.dimensions);
        // Subsets often differ in their last point only.
        let same = flat.chosen.iter().zip(chosen).take_while(|(a, b)| a == b).count();
        let kept = same.saturating_sub(1);
        flat.chosen.clear();
        flat.chosen.extend_from_slice(chosen);
        flat.has_exact = false;
        flat.edges.truncate(kept * r);
        flat.edge_bounds.truncate(kept * r);
        let first = chosen[0] as usize;
        for &point in &chosen[1 + kept..] {
            for column in &cloud.rounded {
                let (value, origin) = (column[point as usize], column[first]);
                flat.edges.push(value - origin);
                flat.edge_bounds.push(Magnitude(value.abs() + origin.abs()));
            }
        }
        minors(&flat.edges, r, kept, &mut flat.minors);
        minors(&flat.edge_bounds, r, kept, &mut flat.bounds);
        let slack = if cloud.unrounded { 0.0 } else { (8 * r * r + 40 * r + 64) as f64 * UNIT };
        let tiny = if cloud.unrounded { 0.0 } else { TINY };
        let all = (1_usize << r) - 1;
        let (mut best, mut greatest) = (None, 0.0);
        for second in 1..r {
            for first in 0..second {
                let columns = all & !(1 << first) & !(1 << second);
                let minor = flat.minors[columns].abs();
                let certain = minor > flat.bounds[columns].0 * slack + tiny;
                if certain && minor > greatest {
                    (best, greatest) = (Some([second, first]), minor);
                }
            }
        }
        let Some(omitted) = best else {
            if cloud.unrounded {
                return None;
            }
            flat.find_exact_minors(cloud);
            for second in 1..r {
                for first in 0..second {
                    let columns = all & !(1 << first) & !(1 << second);
                    if flat.exact_minors[columns].sign() != Ordering::Equal {
                        flat.omitted = [second, first];
                        return Some([f64::INFINITY; 2]);
                    }
                }
            }
            return None;
        };
        flat.omitted = omitted;
        let errors = [0, 1].map(|k| {
            form(&flat.minors, r, omitted[k], &mut flat.forms[k]);
            form(&flat.bounds, r, omitted[k], &mut flat.form_bounds[k]);
            // All coordinates are at most 1.
            let terms = flat.form_bounds[k].iter().zip(&cloud.rounded);
            let bound: f64 =
                terms.map(|(bound, column)| bound.0 * (1.0 + column[first].abs())).sum();
            bound * slack + tiny
        });
        Some(errors)
    }

    /// Computes the directions of all points, and lists those that are not accurate enough.
    fn find_directions(&mut self, errors: [f64; 2]) {
        let (cloud, n) = (self.cloud, self.cloud.len());
        self.inaccurate.clear();
        let usable = errors.iter().all(|error| error.is_finite());
        let mut greatest = [0.0_f64; 2];
        if usable {
            let first = self.flat.chosen[0] as usize;
            for (k, most) in greatest.iter_mut().enumerate() {
                let values = &mut self.directions[k];
                values.fill(0.0);
                for (&weight, column) in self.flat.forms[k].iter().zip(&cloud.rounded) {
                    if weight != 0.0 {
                        let origin = column[first];
                        for (value, &number) in values.iter_mut().zip(column) {
                            *value += weight * (number - origin);
                        }
                    }
                }
                for &value in values.iter() {
                    let size = value.abs();
                    *most = if size > *most { size } else { *most };
                }
            }
        }
        // Exact directions are rounded on the same scale.
        let usable = usable && greatest.iter().all(|&most| most > 1e-200);
        self.scale = greatest.map(|most| if usable { 1.0 / most } else { 1.0 });
        let scale = self.scale;
        let error = errors[0] * scale[0] + errors[1] * scale[1];
        self.angle = if usable { (error / SHARE).clamp(ANGLES.0, ANGLES.1) } else { ANGLES.0 };
        self.tolerance = (KEYS * self.angle * KEY_UNIT) as u64 + 8;
        let certain = if usable { error / self.angle } else { f64::INFINITY };
        for j in 0..n {
            let (a, b) = (self.directions[0][j] * scale[0], self.directions[1][j] * scale[1]);
            let mut direction = [a, b];
            if a.abs() + b.abs() <= certain {
                direction = [0.0, 0.0];
                let on_flat = usable && cloud.unrounded;
                if !on_flat && !self.flat.chosen.contains(&(j as u32)) {
                    self.inaccurate.push(j as u32);
                }
            }
            [self.directions[0][j], self.directions[1][j]] = direction;
        }
    }

    /// The exact direction of a point, rounded to length 1; zero if it is on the flat.
    fn rounded_exactly(&mut self, point: usize) -> [f64; 2] {
        let exact = self.exact_direction(point);
        let total: i64 = self.cloud.powers.iter().sum();
        let powers = [0, 1].map(|k| total - self.cloud.powers[self.flat.omitted[k]]);
        // Only the ratio of both matters, so that neither leaves the range of the type.
        let sizes = (0..2).filter(|&k| exact[k].sign() != Ordering::Equal);
        let shift = sizes.map(|k| exact[k].bit_length() as i64 - powers[k]).max();
        let Some(shift) = shift else { return [0.0, 0.0] };
        let [a, b] = [0, 1].map(|k| exact[k].scaled(powers[k] + shift) * self.scale[k]);
        let size = a.abs() + b.abs();
        [a / size, b / size]
    }

    fn exact_direction(&mut self, point: usize) -> [T; 2] {
        self.exact_directions += 1;
        let (cloud, flat) = (self.cloud, &mut self.flat);
        if !flat.has_exact {
            flat.find_exact_minors(cloud);
            for k in 0..2 {
                form(
                    &flat.exact_minors,
                    cloud.dimensions,
                    flat.omitted[k],
                    &mut flat.exact_forms[k],
                );
            }
            flat.has_exact = true;
        }
        let origin = &cloud.exact[flat.chosen[0] as usize];
        [0, 1].map(|k| {
            let mut total = T::zero();
            let coordinates = cloud.exact[point].iter().zip(origin);
            for (column, (weight, (value, origin))) in
                flat.exact_forms[k].iter().zip(coordinates).enumerate()
            {
                if column != flat.omitted[k] {
                    total = total.plus(&weight.times(&value.minus(origin)));
                }
            }
            total
        })
    }

    /// Finds the angles of points from the direction of the first of them: of all points, or of those
    /// whose side of this direction is not in doubt.
    fn find_angles(&mut self, exact: bool) {
        self.order.clear();
        self.ends.clear();
        self.keys.clear();
        let sine = SINES * self.angle;
        let mut start: Option<(usize, [f64; 2])> = None;
        let mut exact_start: Option<[T; 2]> = None;
        for j in 0..self.cloud.len() {
            let [a, b] = [self.directions[0][j], self.directions[1][j]];
            let size = a.abs() + b.abs();
            if size == 0.0 {
                continue;
            }
            let Some((first, [x, y])) = start else {
                start = Some((j, [a / size, b / size]));
                self.starts_left[j] = true;
                self.order.push(j as u32);
                continue;
            };
            let (cross, dot) = (x * b - y * a, x * a + y * b);
            let side = if cross.abs() > sine * size {
                cross.total_cmp(&0.0)
            } else if !exact {
                continue;
            } else {
                if exact_start.is_none() {
                    exact_start = Some(self.exact_direction(first));
                }
                let own = self.exact_direction(j);
                exact_start.as_ref().map_or(Ordering::Equal, |start| cross_sign(start, &own))
            };
            match side {
                Ordering::Equal => {
                    self.starts_left[j] = dot > 0.0;
                    self.order.push(j as u32);
                }
                _ => {
                    let is_left = side == Ordering::Greater;
                    self.starts_left[j] = is_left;
                    let sign = if is_left { 1.0 } else { -1.0 };
                    let (cross, dot) = ((sign * cross).max(0.0), sign * dot);
                    let angle = 1.0 - dot / (cross + dot.abs());
                    let key = (angle.clamp(0.0, 2.0) * KEY_UNIT) as u64;
                    self.keys.push(key << INDEX_BITS | j as u64);
                }
            }
        }
        self.ends.push(self.order.len());
    }

    /// Writes the points into groups by their angles.
    fn group(&mut self) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.sort_unstable();
        let mut begin = 0;
        while begin < keys.len() {
            let mut end = begin + 1;
            while end < keys.len()
                && (keys[end] >> INDEX_BITS) - (keys[end - 1] >> INDEX_BITS) <= self.tolerance
            {
                end += 1;
            }
            if end == begin + 1 {
                self.order.push(point_of(keys[begin]));
                self.ends.push(self.order.len());
            } else {
                self.compare(keys[begin..end].iter().map(|&key| point_of(key)).collect());
            }
            begin = end;
        }
        self.keys = keys;
    }

    /// Appends points of almost equal angles, sorted exactly.
    fn compare(&mut self, points: Vec<u32>) {
        let mut exact: Vec<(u32, [T; 2])> = Vec::with_capacity(points.len());
        for point in points {
            let [a, b] = self.exact_direction(point as usize);
            let left = self.starts_left[point as usize];
            let turned = if left { [a, b] } else { [T::zero().minus(&a), T::zero().minus(&b)] };
            exact.push((point, turned));
        }
        // All are between the start and its opposite, so cross products order them.
        exact.sort_by(|(p, a), (q, b)| cross_sign(b, a).then(p.cmp(q)));
        for at in 0..exact.len() {
            if at > 0 && cross_sign(&exact[at - 1].1, &exact[at].1) != Ordering::Equal {
                self.ends.push(self.order.len());
            }
            self.order.push(exact[at].0);
        }
        self.ends.push(self.order.len());
    }
}

impl<T: Exact> Flat<T> {
    fn find_exact_minors(&mut self, cloud: &Cloud<T>) {
        let origin = &cloud.exact[self.chosen[0] as usize];
        let mut edges = Vec::with_capacity((self.chosen.len() - 1) * cloud.dimensions);
        for &point in &self.chosen[1..] {
            let pairs = cloud.exact[point as usize].iter().zip(origin);
            edges.extend(pairs.map(|(value, origin)| value.minus(origin)));
        }
        minors(&edges, cloud.dimensions, 0, &mut self.exact_minors);
    }
}

/// The point of a key.
pub(super) fn point_of(key: u64) -> u32 {
    (key & ((1 << INDEX_BITS) - 1)) as u32
}

/// The sign of the cross product: greater if the second direction is to the left of the first.
fn cross_sign<T: Exact>(first: &[T; 2], second: &[T; 2]) -> Ordering {
    first[0].times(&second[1]).minus(&first[1].times(&second[0])).sign()
}
