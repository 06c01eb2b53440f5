// SPDX-License-Identifier: Apache-2.0
// Two data ports set up like those of two instances: each has a context, a loop and a thread.
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "backend/link/data_port.h"
#include "backend/link/event_loop.h"
#include "backend/link/zmq_transport.h"
#include "tests/bench/link/lane.h"

namespace divisi::bench {
namespace {

using std::chrono::steady_clock;

constexpr std::uint64_t task = 1;
/// Edges of the bench's "plan": tensors that stay, tensors that are sent back, and tensors on their way back.
enum Edge : std::uint32_t { stays = 1, returns = 2, returned = 3 };
/// Limits on the tensors in flight: the number of slots of a channel between neighbours (plan::slots_for), or, for
/// small tensors, the number that keeps the connection busy.
constexpr std::size_t window_tensors = 3, window_bytes = 8u << 20, most_in_window = 256;

struct End {
    End(const std::string& name, link::DataPort::Events events)
        : port(loop, transport, Sid(name), 1, std::move(events)) {
        port.enter(task, 1);
    }
    void stop() {
        loop.stop();
        thread.join();
    }
    void listen(const std::string& endpoint) {
        if (const auto heard = port.listen(endpoint); !heard) give_up(heard.error().message());
    }
    link::Context context;
    link::EventLoop loop;
    link::KeyPair keys = link::generate_keys();
    link::ZmqTransport transport{context, loop, keys};
    link::DataPort port;
    std::thread thread;
};

class PortLane final : public Lane {
public:
    explicit PortLane(const std::string& folder)
        : near_("near", near_events()), far_("far", far_events()), tcp_(folder.empty()) {
        const auto endpoint = [&](const char* name) {
            return tcp_ ? std::string("tcp://127.0.0.1:0") : "ipc://" + folder + "/" + name;
        };
        near_.listen(endpoint("near"));
        far_.listen(endpoint("far"));
        introduce(near_, "near", far_);
        introduce(far_, "far", near_);
        for (End* end : {&near_, &far_}) end->thread = std::thread([end] { end->loop.run(); });
    }
    ~PortLane() override {
        near_.stop();
        far_.stop();  // before either port closes, because the other port would treat the close as a fault
    }
    double stream(std::size_t bytes, int count) override { return run(stays, bytes, count); }
    double echo(std::size_t bytes, int count) override { return run(returns, bytes, count); }

private:
    void introduce(End& one, const char* name, End& other) {
        if (tcp_) other.context.access_list().allow(one.keys.public_key, {name, identity::Role::agent});
        other.port.connect(Sid(name), 1, one.port.endpoint(), tcp_ ? one.keys.public_key : "");
        if (tcp_) one.context.access_list().allow(other.keys.public_key, {"peer", identity::Role::agent});
    }
    static link::DataPort::Events trouble_only() {
        return {{}, {}, [](const Error& error) { give_up(error.message()); }};
    }
    link::DataPort::Events near_events() {
        link::DataPort::Events events = trouble_only();
        events.tensor = [this](const frame::TensorFrame& frame) {  // a returned tensor
            near_.port.release(frame.key);
            arrived();
        };
        events.released = [this](const frame::TensorKey& key) {
            if (key.edge == stays) arrived();
        };
        return events;
    }
    link::DataPort::Events far_events() {
        link::DataPort::Events events = trouble_only();
        events.tensor = [this](frame::TensorFrame frame) {
            far_.port.release(frame.key);
            if (frame.key.edge != returns) return;
            frame.key.edge = returned;
            if (auto sent = far_.port.send(Sid("near"), std::move(frame)); !sent) give_up(sent.error().message());
        };
        return events;
    }

    double run(Edge edge, std::size_t bytes, int count) {
        const std::vector<std::uint8_t> values(bytes, 120);
        tensor_ = graph::HostTensor::of(graph::DType::uint8, {static_cast<std::int64_t>(bytes)}, values);
        edge_ = edge;
        std::promise<void> done;
        done_ = &done;
        left_to_send_ = left_to_arrive_ = count;
        const std::size_t fitting = std::clamp(window_bytes / bytes, window_tensors, most_in_window);
        const std::size_t window = edge == returns ? 1 : fitting;
        const auto begin = steady_clock::now();
        near_.loop.post([this, window] {
            for (std::size_t i = 0; i < window; ++i) send_next();
        });
        done.get_future().wait();
        return std::chrono::duration<double>(steady_clock::now() - begin).count();
    }
    // Runs on the near end's thread.
    void send_next() {
        if (left_to_send_ == 0) return;
        --left_to_send_;
        frame::TensorFrame frame;
        frame.key = {task, 1, frame::FrameKind::activation, edge_, ++step_, 0};
        frame.tensor = tensor_;
        if (auto sent = near_.port.send(Sid("far"), std::move(frame)); !sent) give_up(sent.error().message());
    }
    void arrived() {
        if (--left_to_arrive_ == 0) return done_->set_value();
        send_next();
    }

    End near_, far_;
    const bool tcp_;
    // Set while no tensor is in flight; after that, used only by the near end's thread.
    graph::HostTensor tensor_;
    Edge edge_ = stays;
    std::int64_t step_ = 0;
    int left_to_send_ = 0, left_to_arrive_ = 0;
    std::promise<void>* done_ = nullptr;
};

}  // namespace

std::unique_ptr<Lane> make_port_lane(const std::string& folder) { return std::make_unique<PortLane>(folder); }

}  // namespace divisi::bench
