"""Sphinx's settings of the documents; `python -m tools.site` calls it, with warnings as errors."""

from gridproof import __version__

project = "gridproof"
author = "the gridproof authors"
copyright = author  # noqa: A001  what Sphinx calls it
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = f"gridproof {version}"
html_show_copyright = False
html_show_sphinx = False

# Links name the anchors that the repository's own pages have.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
# A rule is a heading of the third level below its chapter's first.
suppress_warnings = ["myst.header"]

# Docstrings put names between single backticks.
default_role = "literal"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
# The fields of a dataclass are listed one by one, not in its head as well.
autodoc_class_signature = "separated"
add_module_names = False
autodoc_default_options = {"members": True, "undoc-members": True, "exclude-members": "__init__, __new__"}
