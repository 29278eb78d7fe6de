//! One rule for a part or for a run of items; the loop is `kernels/run.rs`.

use super::ground::{Ground, Set, members};
use crate::kernels::run::{Items, Ranges, serve};

/// Room that is used again from call to call.
#[derive(Default)]
pub struct Room {
    ranges: Vec<Ranges>,
    items: Vec<u16>,
}

/// How many items, taken from the beginning of the order or from its end, one
/// rule serves.
pub fn served_in_order<const W: usize>(
    ground: &Ground<W>,
    order: &[u16],
    prefix: bool,
    room: &mut Room,
) -> usize {
    let items = Items { lanes: &ground.lanes, class: &ground.class, chunks: ground.chunks };
    let mut served = 0;
    serve(ground.level, &items, order, prefix, &mut room.ranges, &mut served);
    served
}

/// Whether one rule serves a part.
pub fn one_rule<const W: usize>(ground: &Ground<W>, set: &Set<W>, room: &mut Room) -> bool {
    let mut order = std::mem::take(&mut room.items);
    order.clear();
    order.extend(members(set).map(|item| item as u16));
    let served = served_in_order(ground, &order, true, room);
    room.items = order;
    served == room.items.len()
}
