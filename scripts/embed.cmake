# Writes the file FROM as the C array NAME into TO, for cli/page.h; an empty array if FROM is empty.
if(FROM)
    file(READ "${FROM}" bytes HEX)
else()
    set(bytes "")
endif()
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(....................................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE "${TO}" "#include <stddef.h>

extern const unsigned char ${NAME}[];
extern const size_t ${NAME}_size;
const unsigned char ${NAME}[] = {
${bytes}0};
const size_t ${NAME}_size = ${size};
")
