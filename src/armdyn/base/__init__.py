"""What has no robot in it: errors, checks, arrays, exact numbers, threads, lazy imports, tables, files."""
