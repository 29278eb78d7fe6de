"""How `make docs` makes a site of the Markdown pages, the docstrings and the examples.

The source of the site is the whole repository, so that links between documents lead where they
lead in a checkout, and every page exists once. Nothing is fetched while it is built.
"""

import exactree

project = "exactree"
author = "The exactree developers"
version = release = exactree.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]

root_doc = "docs/index"
include_patterns = [
    "*.md",
    "benchmarks/README.md",
    "benchmarks/records/*.md",
    "docs/**",
    "src/exactree/datasets/NOTICE.md",
    "tests/README.md",
    "tests/suite/README.md",
]
# What may be beside the documents: builds, environments, and the gallery's own sources.
exclude_patterns = [".*", "crates", "demo", "dist", "site", "target"]
exclude_patterns += ["docs/site", "docs/templates"]

myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

default_role = "py:obj"
templates_path = ["templates"]
autosummary_generate = True
autosummary_imported_members = True
autosummary_ignore_module_all = False  # the faces of the packages list what is public
autodoc_default_options = {
    "members": True,
    # scikit-learn makes these, with links that lead nowhere here
    "exclude-members": "set_fit_request, set_score_request, set_predict_request",
}
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say them, in words
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "examples/gallery",
    "gallery_dirs": "docs/generated/gallery",
    "filename_pattern": "",
    "ignore_pattern": r"__init__\.py",
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "exactree"
html_extra_path = ["site"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": True,
    "navigation_depth": 2,
    "header_links_before_dropdown": 4,  # all others are beside every page
}
html_sidebars = {"**": ["navigation"], "docs/index": []}
html_context = {"default_mode": "auto"}
