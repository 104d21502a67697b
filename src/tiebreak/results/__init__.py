"""Result records, tables, file formats and plots."""
