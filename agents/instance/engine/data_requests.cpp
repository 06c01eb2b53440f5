// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/data_requests.h"

namespace divisi::instance {

void DataRequests::arrived(const plan::TensorKey& key, std::int64_t bytes) {
    if (!demand_.channels().contains(key.channel)) return;
    channel_bytes_[key.channel] = bytes;
    demand_.arrived(key);
}

std::optional<DataRequests::Request> DataRequests::take_changed() {
    if (!demand_.take_changed()) return std::nullopt;
    Request request;
    for (const plan::DataDemand::Place& place : demand_.awaited())
        request.places.push_back({place.step, place.microbatch});
    for (const auto& [channel, size] : channel_bytes_) request.bytes += size;
    return request;
}

}  // namespace divisi::instance
