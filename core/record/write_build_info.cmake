# Run at every build: writes OUTPUT from TEMPLATE only when the revision has changed, so that a commit
# costs one small file and no configure. Given: SOURCE_FOLDER, TEMPLATE, OUTPUT, VERSION.
execute_process(
  COMMAND git --no-optional-locks -C "${SOURCE_FOLDER}" describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE GIT_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
