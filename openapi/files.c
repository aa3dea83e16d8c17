#include "OpenAPIFiles.h"

// C embeds files in no time. An array literal of Swift of this size takes its compiler half a minute.
#define DOCUMENT(name) \
  struct OpenAPIFile openapi_##name(void) { return (struct OpenAPIFile){file_##name, sizeof file_##name}; }

static const uint8_t file_2024_10[] = {
#embed "2024-10.json"
};
static const uint8_t file_2024_01[] = {
#embed "2024-01.json"
};
static const uint8_t file_web[] = {
#embed "web.json"
};
static const uint8_t file_development[] = {
#embed "development.json"
};

DOCUMENT(2024_10)
DOCUMENT(2024_01)
DOCUMENT(development)
DOCUMENT(web)
