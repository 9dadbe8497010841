"""Import and export of lists as csv and xlsx (contract: conventions section 9).

`mixins` gives viewsets `?format=csv|xlsx` and `render-to-json/`; `exporting` writes files, `importing` has uploads read by
`reader`, a child process under limits. Nothing is imported here: the child starts through this package and must start quickly.
"""
