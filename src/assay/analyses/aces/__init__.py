"""Tables of ACES (Amrhein, Moghe and Guillou 2022)."""
