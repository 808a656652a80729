"""The relay: writes what lies in other slots than the games, from the games and their logs."""
