"""Tests of engine, service, clients and web client; those of gym and hunts lie beside them."""
