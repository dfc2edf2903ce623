"""What the log comes to, as tables to be asked: shoes, coups, bets, patrons, money, tables.

Every row is a pure function of one stream of the log, so whatever is here can be dropped and
made again, to the same bytes, in batches of any size. Rows and the position up to which they
hold are written in one transaction.

    schema      the tables, all named ``rm_…``
    shoe_book   the rows of one shoe: from its events and notes, without a database
    table_book  the rows of one table
    projector   follows the log, keeps the books, writes what changed
    writer      rows into either store
    queries, patron_money   what the reading verbs ask
"""
