// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "backend/link/data_port.h"

namespace divisi::link {

/// Chunks of blobs are smaller than those of tensors: one that goes first is what a tensor has to wait for.
inline constexpr std::uint32_t blob_flow_chunk_bytes = 256u << 10;
/// Messages of the other end that have overtaken one that was lost; it has far fewer under way (blob_window).
inline constexpr std::size_t most_early_messages = 64;

/// One connection between two ends, by flows of the class of blobs, one each way: each message travels as one tensor of
/// bytes through gateways and routers, and comes once and in order, whatever dies between the ends. What a socket
/// carries else (BlobServer, BlobTransfer) goes over it unchanged. Who listens is the source of the blob, who connects
/// the sink. Everything on the loop's thread.
class FlowTransport final : public Transport {
public:
    struct Ends {
        Sid self, peer;
        frame::Incarnation incarnation = 0;  ///< of both; never used again
    };
    /// `sockets`: where the frames leave and arrive. `trouble`: for the log.
    FlowTransport(Loop& loop, Transport& sockets, Ends ends, std::function<void(const Error&)> trouble = {});

    /// As DataPort::listen: where this end's gateway brings its frames.
    Result<std::string> open(const std::string& endpoint, bool allow_remote = false);
    /// By which address the other end is reached: that of this end's gateway.
    void join(const Address& entry);

    Result<std::unique_ptr<Listener>> listen(const ListenOptions& options, Listener::Events events) override;
    Result<std::unique_ptr<Channel>> connect(const Address& address, Purpose purpose, const std::string& identity,
                                             Channel::Events events) override;

private:
    class Line;
    class Port;
    void attach(const void* end, std::function<void(Parts)> deliver);
    void detach(const void* end);
    Sent send(const Parts& parts);
    void arrived(frame::TensorFrame frame);

    Loop& loop_;
    const Ends ends_;
    const std::uint64_t task_;
    std::function<void(Parts)> deliver_;
    const void* end_ = nullptr;                        ///< the Line or Port that deliver_ belongs to
    std::int64_t sent_ = 0, delivered_ = 0;            ///< messages
    std::map<std::int64_t, graph::HostTensor> early_;  ///< by number: they have overtaken one that is missing
    DataPort port_;
};

}  // namespace divisi::link
