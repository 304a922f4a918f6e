"""ACES tables (Amrhein, Moghe and Guillou 2022)."""
