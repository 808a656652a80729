"""The look has one home: colours, sizes of type, radii and shadows are variables of `palette.css`."""

import re
from itertools import product

import pytest

from tests.support.launcher import ROOT

FOLDERS = ("game", "home", "ladder", "shared")
PALETTE = ROOT / "web/shared/palette.css"
GUIDE = ROOT / "service/skye_server/docs/static/docs.css"
SHEETS = sorted(path for folder in FOLDERS for path in (ROOT / "web" / folder).rglob("*.css"))
MODULES = sorted(path for folder in FOLDERS for path in (ROOT / "web" / folder).rglob("*.js"))
LITERAL_COLOR = re.compile(
    r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color|color-mix)a?\("
    r"|:[^;]*(?<!-)\b(?:black|white|gray|grey|red|green|blue|yellow|orange|gold)\b(?![-)])",
    re.IGNORECASE,
)
CHOSEN = {
    "font-size": re.compile(r"(?:var\(--(?:small|normal|large)\)|inherit)$"),
    "font": re.compile(
        r"(?:\d+ )?(?:var\(--(?:small|normal|large)\)|calc\(var\(--cell\) / \d+\)).*|inherit$"
    ),
    "border-radius": re.compile(r"(?:(?:0|var\(--corner\)|var\(--pill\)) ?)+$"),
    "box-shadow": re.compile(r"(?:var\(--(?:shadow|halo|halo-inside)\)|none)$"),
}
"""The values that a property may have; those of `border-radius` also hold for each corner alone."""
BACKGROUNDS = ("paper", "page", "cloth", "now", "button")
TEXTS = [
    *product(("ink", "faint", "bad", "leaf"), BACKGROUNDS),
    *product(("amber",), ("paper", "now", "page")),
    *((on, under) for on, under in (("on-moss", "moss"), ("on-moss", "act"), ("paper", "amber"))),
    *((on, under) for on, under in (("paper", "bad"), ("on-coin", "coin"), ("on-coin", "glow-on-moss"))),
    *(("ink", "line"), ("ink", "legal"), ("leaf", "legal")),
]
"""Texts with what is behind them: at least 4.5:1."""
SIGNS = [
    *product(("control", "glow"), ("paper", "page", "cloth")),
    *(("glow-on-moss", "moss"), ("live", "moss"), ("coin-rim", "coin"), ("ink", "legal")),
]
"""Borders and signs with what is beside them: at least 3:1."""
LUMINANCES = """(names) => {
  const brush = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const probe = document.body.appendChild(document.createElement("i"));
  return Object.fromEntries(names.map((name) => {
    probe.style.color = `var(--${name})`;
    brush.fillStyle = getComputedStyle(probe).color;
    brush.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...brush.getImageData(0, 0, 1, 1).data].map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return [name, 0.2126 * r + 0.7152 * g + 0.0722 * b];
  }));
}"""
"""Returns the relative luminance of each colour, as WCAG defines it."""


def declarations(sheet):
    """Return the declarations of a style sheet as pairs."""
    text = re.sub(r'/\*.*?\*/|"[^"]*"', "", sheet.read_text(), flags=re.DOTALL)
    found = re.findall(r"([-\w]+):\s*([^;{}]+);", text)
    return [(name, " ".join(value.split())) for name, value in found]


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_style_sheet_takes_its_look_from_the_palette(sheet):
    literal = []
    for name, value in declarations(sheet):
        if sheet == PALETTE and name.startswith("--"):
            continue
        if value.startswith("clamp("):  # the size of the root
            continue
        rule = (
            CHOSEN["border-radius" if name.endswith("-radius") else name]
            if name in CHOSEN or name.endswith("-radius")
            else None
        )
        if LITERAL_COLOR.search(f": {value}") or (rule and not rule.match(value)):
            literal.append(f"{name}: {value}")
    assert literal == []


def test_guide_has_the_colors_and_corners_of_the_palette():
    chosen = PALETTE.read_text()
    for name, value in declarations(GUIDE):
        assert not LITERAL_COLOR.search(f": {value}"), value
        assert name != "border-radius" or CHOSEN[name].match(value), value
        for variable in re.findall(r"var\((--[-\w]+)\)", value):
            assert f"{variable}:" in chosen, variable


def test_modules_contain_no_colors():
    found = {path.name: re.findall(r"[\"'`]#[0-9a-f]{3,8}[\"'`]", path.read_text()) for path in MODULES}
    assert {name: colors for name, colors in found.items() if colors} == {}


def test_palette_has_six_colors_and_those_of_the_seats():
    first = PALETTE.read_text().split(":root {", 1)[1].split("}", 1)[0]
    colors = re.findall(r"--([-\w]+): #", first)
    seats = ["red", "blue", "yellow", "white", "green"]
    assert colors == ["ink", "paper", "cloth", "leaf", "glow", "bad", *seats]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_and_signs_have_enough_contrast(browser, scheme):
    page = browser.window("/play/", color_scheme=scheme).page
    page.wait_for_selector("main")
    pairs = [(pair, 4.5) for pair in TEXTS] + [(pair, 3) for pair in SIGNS]
    luminances = page.evaluate(LUMINANCES, sorted({name for pair, _ in pairs for name in pair}))
    low = {}
    for pair, least in pairs:
        darker, lighter = sorted(luminances[name] for name in pair)
        ratio = (lighter + 0.05) / (darker + 0.05)
        if ratio < least:
            low[pair] = round(ratio, 2)
    assert low == {}
