"""The families of ACES (Amrhein, Moghe and Guillou 2022, section 5)."""
