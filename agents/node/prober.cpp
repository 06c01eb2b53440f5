// SPDX-License-Identifier: Apache-2.0
#include "agents/node/prober.h"

#include <cstdio>

#include "backend/base/hash.h"
#include "backend/control/protocol/probe_messages.h"

namespace divisi::node {
namespace {

/// Time limit of a probe: long enough for a link with a rate of a few MB/s. The orchestrator's timeout is slightly
/// longer.
constexpr Duration probe_deadline = std::chrono::seconds(25);

}  // namespace

Prober::Prober(link::Loop& loop, link::Transport& transport, identity::AccessList& access_list, Config config, Say say)
    : loop_(loop), transport_(transport), access_list_(access_list), config_(std::move(config)), say_(std::move(say)) {}

void Prober::serve(const control::ServeProbe& what) {
    stop();
    probe_ = what.probe;
    if (!what.from_key.empty() && !access_list_.find(what.from_key)) {
        guest_ = what.from_key;
        access_list_.allow(guest_, {what.from.value(), control::Role::agent});
    }
    sink_ = std::make_unique<link::ProbeSink>(loop_, transport_, probe_);
    // In a tcp cluster, the connection file names the cluster's address; the node's option passes this machine's
    // address.
    const auto listening = sink_->listen(endpoint(), !config_.ipc);
    if (listening) return say_(control::ProbeServed{probe_, *listening, {}});
    say_(control::ProbeServed{probe_, {}, listening.error()});
    stop();
}

void Prober::run(const control::RunProbe& what) {
    stop();
    probe_ = what.probe;
    runner_ = std::make_unique<link::LinkProbe>(loop_, transport_, probe_, [this](const auto& result) {
        control::ProbeEnded ended{probe_, {}, {}};
        if (result) ended.figures = *result;
        else ended.error = result.error();
        stop();
        say_(ended);
    });
    runner_->run(what.endpoint, what.key, probe_deadline);
}

void Prober::end(const control::EndProbe& what) {
    if (what.probe == probe_) stop();
}

void Prober::stop() {
    sink_.reset();
    runner_.reset();
    if (!guest_.empty()) access_list_.revoke(guest_);
    guest_.clear();
}

std::string Prober::endpoint() const {
    if (!config_.ipc) return "tcp://" + config_.listen + ":0";
    char name[24];
    std::snprintf(name, sizeof name, "p-%016llx", static_cast<unsigned long long>(fnv1a(config_.name)));
    return "ipc://" + config_.listen + "/" + name;
}

}  // namespace divisi::node
