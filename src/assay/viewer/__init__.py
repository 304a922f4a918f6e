"""The page of `assay view`: run directories read as they are, rows by window, a server for this machine alone, or one file.

`runs` reads what verbs wrote, `rows` sorts and filters, `summary` counts what screens draw, `server` answers a browser,
`reviewing` takes the decisions of a review and `page` writes the page as one file. The page itself is built from ``web/`` into
``static/``.
"""
