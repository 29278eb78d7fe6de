"""The colours of the classes: told apart by colour-blind people, on white and on black."""

# Okabe and Ito's palette (https://jfly.uni-koeln.de/color/) without black. A picture also names
# every class, so that the colours of a ninth and later class may repeat.
CLASS_COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#d55e00",
    "#56b4e9",
    "#f0e442",
    "#999999",
)


def class_colour(index: int) -> str:
    """Return the colour of a class."""
    return CLASS_COLOURS[index % len(CLASS_COLOURS)]
