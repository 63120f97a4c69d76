"""Independent ways to the numbers: other libraries, other formulations, other arithmetic. Shared by the tests."""
