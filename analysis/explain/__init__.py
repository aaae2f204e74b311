"""Where a number of a table comes from: its definition, its query and the rows behind it.

`explanation` says what an explanation is and holds what its rows give against what was printed;
`entries` lists the numbers of the tables, `matching` finds one by the words of its labels.
"""
