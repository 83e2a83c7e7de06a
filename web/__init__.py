"""The program around the referee: tables with their vision process, the journal, the pages, the club."""
