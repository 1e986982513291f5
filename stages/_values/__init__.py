"""How `stages.values` and `stages.written_time` read numbers, units, dates and times. Private: import those two."""
