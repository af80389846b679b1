"""See what is wrong, do what helps, and look afterwards whether it did; and distrust their own eyes."""
