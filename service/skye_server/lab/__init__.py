"""The laboratory of servers for testers: injected faults, a clock that can be advanced, inboxes."""
