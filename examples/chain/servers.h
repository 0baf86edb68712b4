// The two kinds of server in the chain, each the main of its process.
#ifndef EXAMPLES_CHAIN_SERVERS_H_
#define EXAMPLES_CHAIN_SERVERS_H_

#include <string>

namespace chain {

// A call with this id is answered with the number of all others so far.
extern const char kCount[];

// The service at the bottom: it never works.
int RunFailingServer(const std::string& address);

// A layer above it: passes its call on to `next`, three times if need be.
// `config` is the path of its policy. With `stop_upstream` it tells the layer
// above not to repeat what it gave up.
int RunLayer(const std::string& address, const std::string& next,
             const std::string& config, bool stop_upstream);

}  // namespace chain

#endif  // EXAMPLES_CHAIN_SERVERS_H_
