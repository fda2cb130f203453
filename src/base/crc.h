/* CRC-32 as in IEEE 802.3, gzip and PNG: polynomial 0x04C11DB7, bits reflected. */
#ifndef TRAMMEL_BASE_CRC_H
#define TRAMMEL_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* That of all bytes so far, from that of those before them; 0 before the first. */
uint32_t crc_add(uint32_t before, const void *bytes, size_t count);

#endif
