"""Backend of `assay view`: a local server, or a single HTML file, for runs and tables.

`runs` reads run directories, `rows` sorts and filters, `summary` computes the figures, `server` answers the browser,
`review_api` accepts review decisions, and `page` writes a single file. The page itself is built from ``web/`` into
``static/``.
"""
