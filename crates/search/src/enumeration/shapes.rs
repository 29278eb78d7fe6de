//! Shapes of trees: trees without rules and classes. Mirror images are one shape.

/// The number that stands for any shape.
pub(super) const ANY_SHAPE: u32 = u32::MAX;

/// A shape whose subtrees are given by their numbers in `Shapes`.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The numbers of the subtrees' shapes; `None` for a leaf.
    pub children: Option<(u32, u32)>,
    pub size: u32,
    pub depth: u32,
}

/// A shape and the shapes of its subtrees. Each comes once and after its own subtrees, so the shape
/// itself comes last.
#[derive(Clone, Debug)]
pub struct Shapes(Vec<Shape>);

impl Shapes {
    /// Shapes by their children; `None` unless every shape comes after its subtrees and only once.
    pub fn new(children: &[Option<(u32, u32)>]) -> Option<Self> {
        let mut shapes: Vec<Shape> = Vec::new();
        for (number, &children) in children.iter().enumerate() {
            let (mut size, mut depth) = (0, 0);
            if let Some((left, right)) = children {
                let (left, right) = (shapes.get(left as usize)?, shapes.get(right as usize)?);
                (size, depth) = (1 + left.size + right.size, 1 + left.depth.max(right.depth));
            }
            let same = |other: &Shape| sorted_children(other.children) == sorted_children(children);
            if shapes[..number].iter().any(same) {
                return None;
            }
            shapes.push(Shape { children, size, depth });
        }
        (!shapes.is_empty()).then_some(Shapes(shapes))
    }

    pub fn get(&self, number: u32) -> &Shape {
        &self.0[number as usize]
    }

    /// The number of the whole tree's shape.
    pub fn whole(&self) -> u32 {
        self.0.len() as u32 - 1
    }
}

fn sorted_children(children: Option<(u32, u32)>) -> Option<(u32, u32)> {
    children.map(|(a, b)| (a.min(b), a.max(b)))
}
