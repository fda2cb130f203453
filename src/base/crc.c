#include "base/crc.h"

/* The remainders of the sixteen values of half a byte: a table small enough to read, two steps for a byte. */
static const uint32_t remainders[16] = {
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
    0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};

uint32_t crc_add(uint32_t before, const void *bytes, size_t count) {
    uint32_t crc = ~before;
    for (const unsigned char *at = bytes, *end = at + count; at < end; at++) {
        crc ^= *at;
        crc = crc >> 4 ^ remainders[crc & 15];
        crc = crc >> 4 ^ remainders[crc & 15];
    }
    return ~crc;
}
