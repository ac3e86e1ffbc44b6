/* CRC-32 (IEEE 802.3), four bits at a time */
#include "base/base.h"

uint32_t tn_crc32(uint32_t before, const void *data, size_t size) {
  const unsigned char *s = data;
  uint32_t crc = before ^ 0xffffffffu, table[16];
  for (uint32_t i = 0; i < 16; i++) {
    uint32_t c = i;
    for (int k = 0; k < 4; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  for (size_t i = 0; i < size; i++) {
    crc = table[(crc ^ s[i]) & 15] ^ (crc >> 4);
    crc = table[(crc ^ (uint32_t)(s[i] >> 4)) & 15] ^ (crc >> 4);
  }
  return crc ^ 0xffffffffu;
}
