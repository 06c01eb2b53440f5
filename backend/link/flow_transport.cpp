// SPDX-License-Identifier: Apache-2.0
#include "backend/link/flow_transport.h"

#include <cstring>

#include "backend/frame/bytes.h"
#include "backend/mesh/base/place.h"

namespace divisi::link {
namespace {

/// Limit on the parts of a message; a blob message has two, a header and a payload.
constexpr std::size_t most_parts = 4;

/// Packs a message into a tensor: the number of parts and the size of each, little-endian, then the parts.
graph::HostTensor to_tensor(const Parts& parts) {
    std::size_t size = 4 * (1 + parts.size());
    for (const Part& part : parts) size += part.bytes.size();
    auto held = std::make_shared<std::vector<std::byte>>(size);
    const std::span<std::byte> bytes(*held);
    frame::store_le(bytes, 0, static_cast<std::uint32_t>(parts.size()));
    std::size_t at = 4 * (1 + parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        frame::store_le(bytes, 4 * (1 + i), static_cast<std::uint32_t>(parts[i].bytes.size()));
        if (!parts[i].bytes.empty()) std::memcpy(held->data() + at, parts[i].bytes.data(), parts[i].bytes.size());
        at += parts[i].bytes.size();
    }
    graph::HostTensor tensor;
    tensor.dtype = graph::DType::uint8;
    tensor.dims = {static_cast<std::int64_t>(size)};
    tensor.data = held->data();
    tensor.size_bytes = static_cast<std::int64_t>(size);
    tensor.owner = std::move(held);
    return tensor;
}

/// Unpacks a message; its parts refer to the tensor's memory. Returns nothing if the tensor holds no message.
std::optional<Parts> to_parts(const graph::HostTensor& tensor) {
    const auto bytes = tensor.bytes();
    if (bytes.size() < 4) return std::nullopt;
    const std::size_t count = frame::load_le<std::uint32_t>(bytes, 0);
    if (count > most_parts || bytes.size() < 4 * (1 + count)) return std::nullopt;
    Parts parts;
    std::size_t at = 4 * (1 + count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t size = frame::load_le<std::uint32_t>(bytes, 4 * (1 + i));
        if (size > bytes.size() - at) return std::nullopt;
        parts.push_back({tensor.owner, bytes.subspan(at, size)});
        at += size;
    }
    if (at != bytes.size()) return std::nullopt;
    return parts;
}

}  // namespace

/// The connecting end of the connection.
class FlowTransport::Line final : public Channel {
public:
    Line(FlowTransport& transport, Events events) : transport_(transport), up_(transport.loop_) {
        transport.attach(this, [message = events.message](Parts parts) {
            if (message) message(std::move(parts));
        });
        up_.start(Duration(0), [up = std::move(events.up)] {
            if (up) up();
        });
    }
    ~Line() override { transport_.detach(this); }
    Sent send(const Parts& parts) override { return transport_.send(parts); }

private:
    FlowTransport& transport_;
    Timer up_;
};

/// The listening end of the connection. Its only route is the other end.
class FlowTransport::Port final : public Listener {
public:
    Port(FlowTransport& transport, std::string endpoint, Events events)
        : transport_(transport), endpoint_(std::move(endpoint)) {
        // The gateway has admitted the sender as the peer that it claims to be.
        Credentials sender;
        sender.name = transport.ends_.peer.value();
        sender.role = identity::Role::agent;
        transport.attach(this, [message = std::move(events.message), sender](Parts parts) {
            if (message) message(sender.name, sender, std::move(parts));
        });
    }
    ~Port() override { transport_.detach(this); }
    const std::string& endpoint() const override { return endpoint_; }
    Sent send(const std::string&, const Parts& parts) override { return transport_.send(parts); }

private:
    FlowTransport& transport_;
    std::string endpoint_;
};

FlowTransport::FlowTransport(Loop& loop, Transport& sockets, Ends ends, std::function<void(const Error&)> trouble)
    : loop_(loop),
      ends_(std::move(ends)),
      task_(frame::flow_id(std::string_view(mesh::blob_root))),
      port_(loop, sockets, ends_.self, ends_.incarnation,
            {[this](frame::TensorFrame frame) { arrived(std::move(frame)); }, {}, std::move(trouble)}) {
    port_.set_chunk_bytes(blob_flow_chunk_bytes);
    port_.enter(task_, 1);
}

Result<std::string> FlowTransport::open(const std::string& endpoint, bool allow_remote) {
    return port_.listen(endpoint, allow_remote);
}

void FlowTransport::join(const Address& entry) {
    port_.connect(ends_.peer, ends_.incarnation, entry.endpoint, entry.server_key);
}

Result<std::unique_ptr<Listener>> FlowTransport::listen(const ListenOptions& options, Listener::Events events) {
    return std::unique_ptr<Listener>(std::make_unique<Port>(*this, options.endpoint, std::move(events)));
}

Result<std::unique_ptr<Channel>> FlowTransport::connect(const Address&, Purpose, const std::string&,
                                                        Channel::Events events) {
    return std::unique_ptr<Channel>(std::make_unique<Line>(*this, std::move(events)));
}

void FlowTransport::attach(const void* end, std::function<void(Parts)> deliver) {
    end_ = end;
    deliver_ = std::move(deliver);
}

/// Stops deliveries to `end`, unless another end has already replaced it.
void FlowTransport::detach(const void* end) {
    if (end_ == end) deliver_ = {};
}

Sent FlowTransport::send(const Parts& parts) {
    frame::TensorFrame frame;
    frame.key = {task_, 1, frame::FrameKind::blob_chunk, 0, sent_, 0};
    frame.tensor = to_tensor(parts);
    if (!port_.send(ends_.peer, std::move(frame))) return Sent::gone;  // join() was not called yet
    ++sent_;
    return Sent::yes;
}

/// Accepts an arrived message and delivers messages in order. After a fault on the path, messages may arrive in any
/// order.
void FlowTransport::arrived(frame::TensorFrame frame) {
    if (frame.key.kind != frame::FrameKind::blob_chunk || frame.key.step < delivered_) return;
    if (early_.size() >= most_early_messages && frame.key.step != delivered_) return;
    early_.emplace(frame.key.step, std::move(frame.tensor));
    while (!early_.empty() && early_.begin()->first == delivered_) {
        const graph::HostTensor tensor = std::move(early_.extract(early_.begin()).mapped());
        frame.key.step = delivered_++;
        port_.release(frame.key);
        if (auto parts = to_parts(tensor); parts && deliver_) {
            const auto deliver = deliver_;  // a copy, because the receiver may end the connection
            deliver(*std::move(parts));
        }
    }
}

}  // namespace divisi::link
