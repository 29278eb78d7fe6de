"""The palettes: contrast by the WCAG's formula, and colours distinct for colour-blind people."""

from itertools import combinations

import numpy as np
import pytest

from exactree.export.palette import DARK, LIGHT, Palette, class_colour, palette_on

BOTH = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])

# Matrices that map a colour in linear RGB to the colour that people without one kind of cone see:
# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision
# deficiency", 2009, severity 1.
SIGHT = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def linear(colour: str) -> np.ndarray:
    """Return a colour in linear RGB."""
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2.2."""
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    """Return a colour of linear RGB in CIELAB, with the white point of screens (D65)."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = (np.array(to_xyz) @ rgb.clip(0, 1)) / [0.95047, 1.0, 1.08883]
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """Return the CIEDE2000 difference of two colours in CIELAB, in the symbols of its formula."""
    (L1, a1, b1), (L2, a2, b2) = one, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + 25.0**7))
    a1, a2 = a1 * stretch, a2 * stretch
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1)) % 360, np.degrees(np.arctan2(b2, a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180
    dL, dc, dh = L2 - L1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    L, c, h = (L1 + L2) / 2, (c1 + c2) / 2, (h1 + turn / 2) % 360
    t = (
        1
        - 0.17 * np.cos(np.radians(h - 30))
        + 0.24 * np.cos(np.radians(2 * h))
        + 0.32 * np.cos(np.radians(3 * h + 6))
        - 0.20 * np.cos(np.radians(4 * h - 63))
    )
    sL, sc = 1 + 0.015 * (L - 50) ** 2 / np.sqrt(20 + (L - 50) ** 2), 1 + 0.045 * c
    sh = 1 + 0.015 * c * t
    rotate = -2 * np.sqrt(c**7 / (c**7 + 25.0**7))
    rotate *= np.sin(np.radians(60 * np.exp(-(((h - 275) / 25) ** 2))))
    parts = (dL / sL) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rotate * (dc / sc) * (dh / sh)
    return float(np.sqrt(parts))


def test_contrast_and_difference_agree_with_published_values() -> None:
    """WCAG's extremes, and pairs 1, 13 and 25 of Sharma, Wu and Dalal (2005)."""
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    for colour, other, expected in (
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ):
        assert difference(np.array(colour), np.array(other)) == pytest.approx(expected, abs=1e-4)


@BOTH
def test_text_and_lines_contrast_with_their_background(palette: Palette) -> None:
    """WCAG 2.2 requires 7 for text (AAA), 4.5 for text (AA), and 3 for graphics."""
    for background_colour in (palette.background, palette.box):
        assert contrast(palette.ink, background_colour) >= 7
        assert contrast(palette.detail, background_colour) >= 4.5
        assert contrast(palette.line, background_colour) >= 3


@BOTH
def test_colours_contrast_with_the_background(palette: Palette) -> None:
    for colour in (*palette.classes, palette.smallest, palette.greatest):
        assert contrast(colour, palette.background) >= 3, colour
    if palette is DARK:  # the background of matplotlib's dark style is black
        assert all(contrast(colour, "#000000") >= 3 for colour in palette.classes)


@pytest.mark.parametrize("sight", SIGHT)
@BOTH
def test_classes_are_distinguished(palette: Palette, sight: str) -> None:
    """All classes differ by 14, the first two by 40; a difference of 2.3 is just noticeable."""
    seen = [lab(SIGHT[sight] @ linear(colour)) for colour in palette.classes]
    assert min(difference(*pair) for pair in combinations(seen, 2)) >= 14
    assert difference(seen[0], seen[1]) >= 40


@pytest.mark.parametrize("sight", SIGHT)
@BOTH
def test_the_ends_of_the_scale_of_numbers_differ_in_lightness(palette: Palette, sight: str) -> None:
    ends = palette.smallest, palette.greatest
    smallest, greatest = (lab(SIGHT[sight] @ linear(c)) for c in ends)
    assert greatest[0] - smallest[0] >= 20
    assert difference(smallest, greatest) >= 35


def test_the_palette_follows_the_background() -> None:
    assert palette_on(1.0, 1.0, 1.0) is LIGHT
    assert palette_on(0.0, 0.0, 0.0) is DARK
    assert class_colour(8) == class_colour(0) != class_colour(0, DARK)
