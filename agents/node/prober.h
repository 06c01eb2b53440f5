// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backend/control/protocol/message.h"
#include "backend/identity/access_list.h"
#include "backend/link/link_probe.h"

namespace divisi::node {

/// Measures links for the orchestrator: sends or receives the tensors of a probe, one probe at a time. Runs on the
/// agent's loop, with the keys and addresses of the node's instances.
class Prober {
public:
    struct Config {
        std::string name;    ///< the node's name
        std::string listen;  ///< address where instances receive data: a folder for ipc sockets, or a tcp address
        bool ipc = true;
    };
    using Say = std::function<void(control::Message)>;

    Prober(link::Loop& loop, link::Transport& transport, identity::AccessList& access_list, Config config, Say say);

    void serve(const control::ServeProbe& what);
    void run(const control::RunProbe& what);
    void end(const control::EndProbe& what);
    /// Ends the current probe, since its result is no longer needed.
    void stop();

private:
    std::string endpoint() const;

    link::Loop& loop_;
    link::Transport& transport_;
    identity::AccessList& access_list_;
    Config config_;
    Say say_;
    std::uint64_t probe_ = 0;  ///< number of the probe that uses sink_ or runner_
    std::string guest_;        ///< key that is allowed for this probe
    std::unique_ptr<link::ProbeSink> sink_;
    std::unique_ptr<link::LinkProbe> runner_;
};

}  // namespace divisi::node
