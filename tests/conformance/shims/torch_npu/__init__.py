"""Stands for the other backend's package in tests that were written for it: the device is there already."""
