# Turns a file into a C++ function that returns its bytes. Run at build time by the commands in sources.cmake:
#   cmake -DINPUT=file -DOUTPUT=file.cpp -DFUNCTION=name -P embed.cmake
file(READ "${INPUT}" bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
# A line of 64 bytes at a time keeps the regular expression engine and the compiler fast.
string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
get_filename_component(name "${INPUT}" NAME)
file(WRITE "${OUTPUT}" "// Generated from ${name}. Do not edit.
#include \"runtime/app/report/embedded.hpp\"

namespace slicepool::embedded {

static const unsigned char kBytes[] = {
${bytes}
0x00};

std::string_view ${FUNCTION}() { return {reinterpret_cast<const char*>(kBytes), ${size}}; }

}  // namespace slicepool::embedded
")
