// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backend/control/protocol/message.h"
#include "backend/identity/access_list.h"
#include "backend/link/link_probe.h"

namespace divisi::node {

/// The node's part in measuring links: it takes a probe's tensors or sends them, one probe at a time, on the agent's
/// own loop and with the keys and addresses that its instances have.
class Prober {
public:
    struct Config {
        std::string name;    ///< of the node
        std::string listen;  ///< where instances take data: a folder for ipc sockets, or an address
        bool ipc = true;
    };
    using Say = std::function<void(control::Message)>;

    Prober(link::Loop& loop, link::Transport& transport, identity::AccessList& access_list, Config config, Say say);

    void serve(const control::ServeProbe& what);
    void run(const control::RunProbe& what);
    void end(const control::EndProbe& what);
    /// Ends what is under way: nobody waits for it any more.
    void stop();

private:
    std::string endpoint() const;

    link::Loop& loop_;
    link::Transport& transport_;
    identity::AccessList& access_list_;
    Config config_;
    Say say_;
    std::uint64_t probe_ = 0;  ///< that of sink_ or runner_
    std::string guest_;        ///< key that is let in for it
    std::unique_ptr<link::ProbeSink> sink_;
    std::unique_ptr<link::LinkProbe> runner_;
};

}  // namespace divisi::node
