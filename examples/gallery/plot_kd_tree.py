"""
An optimal K-D tree of seven points
===================================

Each node of a K-D tree is a point, and all nodes of a level split along the same axis. This tree
has the fewest visited nodes for eight queries among all K-D trees of seven points. The picture
reproduces Figure 9 of He and Little's paper on proper decision trees, with different points.
"""

import matplotlib.pyplot as plt

from exactree.proper import Node, best_kd_tree, visits

points = [(2, 3), (5, 4), (9, 6), (4, 7), (8, 1), (7, 2), (1, 9)]
queries = [(1, 1), (3, 8), (6, 1), (6, 8), (9, 9), (8, 4), (2, 6), (5, 2)]
best = best_kd_tree(points, visits, queries=queries)
print("nodes visited by the queries:", best.cost[0])


def splits(tree, box, depth=0, place=0.5, width=0.5):
    """Yield every node with its box, depth and place along the level."""
    if isinstance(tree, Node):
        axis, value = tree.rule.feature, tree.rule.place[tree.rule.feature]
        low, high = [list(side) for side in box], [list(side) for side in box]
        low[axis][1] = high[axis][0] = value
        yield tree.rule, box, depth, place
        yield from splits(tree.left, low, depth + 1, place - width / 2, width / 2)
        yield from splits(tree.right, high, depth + 1, place + width / 2, width / 2)


nodes = list(splits(best.tree, [[0, 10], [0, 10]]))
assert len(nodes) == len(points)
assert all(rule.feature == depth % 2 for rule, _, depth, _ in nodes)

# %%

figure, (plane, drawn) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
colours = ("#0072b2", "#d55e00")  # across the first axis, across the second
for rule, ((left, right), (bottom, top)), _, _ in nodes:
    x, y = rule.place
    ends = ([x, x], [bottom, top]) if rule.feature == 0 else ([left, right], [y, y])
    plane.plot(*ends, color=colours[rule.feature], linewidth=1.5)
for rule, _, depth, place in nodes:
    name = "ABCDEFG"[rule.number]
    plane.annotate(name, rule.place, xytext=(4, 4), textcoords="offset points")
    plane.plot(*rule.place, "o", color="#24292f")
    drawn.text(
        place,
        -depth,
        f"{name}: {'x₁' if rule.feature == 0 else 'x₂'}",
        ha="center",
        va="center",
        bbox={"boxstyle": "round", "fc": "white", "ec": colours[rule.feature]},
    )
places = {rule.number: (place, -depth) for rule, _, depth, place in nodes}
ahead = [best.tree]
while ahead:
    node = ahead.pop()
    for child in (node.left, node.right):
        if isinstance(child, Node):
            ahead.append(child)
            ends = zip(places[node.rule.number], places[child.rule.number], strict=True)
            drawn.plot(*map(list, ends), color="#6e7781", zorder=0)
plane.plot(*zip(*queries, strict=True), "x", color="#6e7781", label="query")
for name, colour in zip(("split by x₁", "split by x₂"), colours, strict=True):
    plane.plot([], [], color=colour, label=name)
plane.set(xlim=(0, 10), ylim=(0, 10), xlabel="x₁", ylabel="x₂")
plane.legend(ncols=3, loc="lower left", bbox_to_anchor=(0, 1), frameon=False)  # covers no query
drawn.set(xlim=(0, 1), ylim=(-max(-y for _, y in places.values()) - 0.5, 0.5))
drawn.axis("off")
plt.show()
