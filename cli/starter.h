/* The model to start from: of `trammel new`, and of a playground that is given none. */
#ifndef TRAMMEL_CLI_STARTER_H
#define TRAMMEL_CLI_STARTER_H

extern const char starter[];

#endif
