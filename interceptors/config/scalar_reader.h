// Reads one JSON value into one scalar of the schema, in gRPC core's words
// where it does not fit.
//
// Thread-safety: pure but for `errors`, whose path must be the value's.
#ifndef RETRYKIT_INTERCEPTORS_CONFIG_SCALAR_READER_H_
#define RETRYKIT_INTERCEPTORS_CONFIG_SCALAR_READER_H_

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "interceptors/config/config_errors.h"
#include "interceptors/config/json_value.h"

namespace retrykit {

// Sets `field` of `message`; adds an element where it is repeated. `field` is
// neither an object nor a message that is read as one value.
void ReadScalar(const JsonValue& value, google::protobuf::Message& message,
                const google::protobuf::FieldDescriptor& field,
                ConfigErrors& errors);

// The same for Duration, Decimal and CoreJson (IsScalarMessage).
void ReadScalarMessage(const JsonValue& value,
                       google::protobuf::Message& message,
                       ConfigErrors& errors);

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_CONFIG_SCALAR_READER_H_
