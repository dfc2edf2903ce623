"""Projections of the log as tables: shoes, coups, bets, patrons, money, tables.

Every row is a pure function of one stream of the log, so the read models can be dropped and rebuilt
identically, in batches of any size. Rows and their position in the log are written in one
transaction.

Modules:
    ``views_schema``  the tables, all named ``rm_…``
    ``rows``          the rows as types
    ``shoe_rows``     the rows of one shoe, from its events, without a database
    ``table_rows``    the rows of one table
    ``projector``     follows the log and writes the changed rows
    ``writer``        writes rows to either database
    ``queries``, ``patron_money``  the queries of the reading commands
"""
