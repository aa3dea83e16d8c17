#pragma once
#include <stddef.h>
#include <stdint.h>

/// The bytes of a file of this directory, embedded in the program. They are constant and live as long as the program.
struct OpenAPIFile {
  const uint8_t *_Nonnull bytes;
  size_t count;
};

struct OpenAPIFile openapi_2024_10(void);
struct OpenAPIFile openapi_2024_01(void);
struct OpenAPIFile openapi_development(void);
struct OpenAPIFile openapi_web(void);
