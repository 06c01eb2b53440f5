// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <random>

#include "backend/link/data_port.h"
#include "backend/link/memory_transport.h"
#include "tests/support/test_program.h"

namespace data_port_test {

using namespace divisi;
using namespace divisi::link;
using frame::FrameKind, frame::TensorKey;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

constexpr std::uint64_t task_number = 42;

frame::TensorFrame tensor(std::int64_t step, std::int32_t microbatch, std::size_t bytes = 20'000,
                          Generation generation = 1) {
    std::vector<std::uint8_t> values(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        values[i] = static_cast<std::uint8_t>(i * 31 + static_cast<std::size_t>(step));
    frame::TensorFrame f;
    f.key = {task_number, generation, FrameKind::activation, 5, step, microbatch};
    f.tensor = graph::HostTensor::of(graph::DType::uint8, {static_cast<std::int64_t>(bytes)}, values);
    return f;
}

struct End {
    End(Loop& loop, Transport& transport, const std::string& name)
        : port(loop, transport, Sid(name), 1,
               {[this](frame::TensorFrame f) { received.push_back(std::move(f)); },
                [this](const TensorKey& key) { released.push_back(key); },
                [this](const Error& error) { trouble.push_back(error); }}) {
        if (!port.listen("mem://" + name).ok()) qFatal("cannot listen");
        port.set_chunk_bytes(frame::min_chunk_bytes);
        port.enter(task_number, 1);
    }
    std::vector<frame::TensorFrame> received;
    std::vector<TensorKey> released;
    std::vector<Error> trouble;
    DataPort port;
};

struct Pair {
    SimLoop loop;
    MemoryTransport net{loop};
    End a{loop, net, "a"}, b{loop, net, "b"};
    Pair() { a.port.connect(Sid("b"), 1, b.port.endpoint()); }
};

}  // namespace

class DataPortTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tensors_arrive_complete_and_are_acknowledged();
    void slots_are_freed_in_order_and_once();
    void losses_are_repaired_without_duplicates();
    void cut_link_loses_nothing();
    void longest_demand_arrives();
    void older_generation_is_dropped_and_counted();
    void tensors_sent_before_the_peer_listens_arrive();
    void invalid_sends_are_refused();
    void data_of_a_non_agent_is_refused();
    void strides_and_shape_survive_encoding();
};

void DataPortTest::tensors_arrive_complete_and_are_acknowledged() {
    Pair p;
    for (int i = 0; i < 10; ++i) QVERIFY(p.a.port.send(Sid("b"), tensor(1, i)).ok());
    QCOMPARE(p.a.port.unacknowledged(), std::size_t{10});
    p.loop.run_for(milliseconds(100));
    QCOMPARE(p.b.received.size(), std::size_t{10});
    for (int i = 0; i < 10; ++i) {
        QCOMPARE(p.b.received[static_cast<std::size_t>(i)].key, tensor(1, i).key);
        QVERIFY(
            std::ranges::equal(p.b.received[static_cast<std::size_t>(i)].tensor.bytes(), tensor(1, i).tensor.bytes()));
    }
    QCOMPARE(p.a.port.unacknowledged(), std::size_t{0});
    QCOMPARE(p.b.port.counters().tensors_received, std::uint64_t{10});
    QCOMPARE(p.a.port.counters().bytes_sent, std::uint64_t{200'000});
}

void DataPortTest::slots_are_freed_in_order_and_once() {
    Pair p;
    for (int i = 0; i < 4; ++i) QVERIFY(p.a.port.send(Sid("b"), tensor(1, i)).ok());
    p.loop.run_for(milliseconds(100));
    QVERIFY(p.a.released.empty());
    p.b.port.release(tensor(1, 0).key);
    p.loop.run_for(milliseconds(10));
    QCOMPARE(p.a.released.size(), std::size_t{1});
    p.net.drop_if([](const std::string& endpoint, const Parts&) { return endpoint.ends_with(".lane"); });
    p.b.port.release(tensor(1, 1).key);  // this message is lost
    p.loop.run_for(milliseconds(10));
    p.net.drop_if({});
    p.b.port.release(tensor(1, 2).key);  // covers both tensors
    p.loop.run_for(milliseconds(10));
    QCOMPARE(p.a.released.size(), std::size_t{3});
    p.loop.run_for(seconds(20));  // repeated every second, reported once
    QCOMPARE(p.a.released.size(), std::size_t{3});
    QCOMPARE(p.a.released[2], tensor(1, 2).key);
}

void DataPortTest::losses_are_repaired_without_duplicates() {
    for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
        Pair p;
        std::mt19937 rng(seed);
        p.net.drop_if([&](const std::string&, const Parts&) { return rng() % 10 < 3; });
        for (int i = 0; i < 20; ++i) QVERIFY(p.a.port.send(Sid("b"), tensor(1, i)).ok());
        p.loop.run_for(seconds(300));
        QCOMPARE(p.b.received.size(), std::size_t{20});
        std::vector<TensorKey> keys;
        for (const auto& f : p.b.received) {
            keys.push_back(f.key);
            QVERIFY(std::ranges::equal(f.tensor.bytes(), tensor(1, 0).tensor.bytes()));
        }
        std::ranges::sort(keys);
        QVERIFY(std::ranges::adjacent_find(keys) == keys.end());
        for (int i = 0; i < 20; ++i) p.b.port.release(tensor(1, i).key);
        p.loop.run_for(seconds(60));
        QCOMPARE(p.a.released.size(), std::size_t{20});
        QCOMPARE(p.a.port.unacknowledged(), std::size_t{0});
    }
}

void DataPortTest::cut_link_loses_nothing() {
    Pair p;
    p.loop.run_for(milliseconds(10));
    QVERIFY(p.a.port.send(Sid("b"), tensor(1, 0, 1'000'000)).ok());
    p.loop.run_for(std::chrono::microseconds(60));  // some chunks are in transit
    p.net.cut("mem://b.data");
    QVERIFY(p.a.port.send(Sid("b"), tensor(1, 1)).ok());
    p.loop.run_for(seconds(3));
    QVERIFY(p.b.received.empty());
    QVERIFY(!p.a.trouble.empty());
    p.net.heal("mem://b.data");
    p.loop.run_for(seconds(6));
    QCOMPARE(p.b.received.size(), std::size_t{2});
    QVERIFY(std::ranges::equal(p.b.received[0].tensor.bytes(), tensor(1, 0, 1'000'000).tensor.bytes()));
}

/// A stage that waits for as many micro-batches as a step may have names all of them in one message.
void DataPortTest::longest_demand_arrives() {
    Pair p;
    std::optional<frame::Demand> heard;
    Listener::Events data, lane;
    lane.message = [&](const std::string&, const Credentials&, const Parts& parts) {
        heard = frame::decode_demand(parts.at(1).bytes).value();
    };
    const auto gateway = p.net.listen({"mem://gateway.data", Purpose::data}, std::move(data)).value();
    const auto beside = p.net.listen({"mem://gateway.lane", Purpose::lane}, std::move(lane)).value();
    p.a.port.set_gateway("mem://gateway.data mem://gateway.lane", "");
    p.loop.run_for(milliseconds(10));
    std::vector<frame::DataPlace> places;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(frame::most_demanded); ++i) places.push_back({1, i});
    p.a.port.ask(Sid("task/data"), task_number, 1, places, 4);
    p.loop.run_for(milliseconds(10));
    QVERIFY(heard);
    QCOMPARE(heard->places, places);
}

void DataPortTest::older_generation_is_dropped_and_counted() {
    Pair p;
    p.loop.run_for(milliseconds(10));  // both ends know each other's generation
    p.b.port.enter(task_number, 2);
    QVERIFY(p.a.port.send(Sid("b"), tensor(1, 0)).ok());
    p.loop.run_for(milliseconds(100));
    QVERIFY(p.b.received.empty());
    QVERIFY(p.b.port.counters().stale > 0);
    QCOMPARE(p.b.trouble.size(), std::size_t{1});  // reported once, however many there were
    QVERIFY(p.b.trouble[0].message().find("they are of generation 1, and 2 is in force") != std::string::npos);
    p.a.port.enter(task_number, 2);
    QCOMPARE(p.a.port.unacknowledged(), std::size_t{0});
    QCOMPARE(p.a.port.send(Sid("b"), tensor(1, 0)).error().code, ErrorCode::conflict);
    QVERIFY(p.a.port.send(Sid("b"), tensor(1, 0, 20'000, 2)).ok());
    p.loop.run_for(milliseconds(100));
    QCOMPARE(p.b.received.size(), std::size_t{1});
    p.a.port.enter(task_number, 3);  // `a` is ahead of its consumer: it repeats its hello until the consumer follows
    QVERIFY(p.a.port.send(Sid("b"), tensor(1, 0, 20'000, 3)).ok());
    p.loop.run_for(seconds(1));
    QCOMPARE(p.b.received.size(), std::size_t{1});
    const auto stale = p.b.port.counters().stale;
    p.b.port.enter(task_number, 3);
    p.loop.run_for(milliseconds(2));
    QCOMPARE(p.b.received.size(), std::size_t{2});
    QCOMPARE(p.b.port.counters().stale, stale);  // no stale frame was sent
}

void DataPortTest::tensors_sent_before_the_peer_listens_arrive() {
    SimLoop loop;
    MemoryTransport net(loop);
    End a(loop, net, "a");
    a.port.connect(Sid("b"), 0, "mem://b.data mem://b.lane");  // its incarnation is not known yet
    QVERIFY(a.port.send(Sid("b"), tensor(1, 0)).ok());
    loop.run_for(seconds(3));
    End b(loop, net, "b");
    loop.run_for(seconds(6));
    QCOMPARE(b.received.size(), std::size_t{1});
    b.port.release(tensor(1, 0).key);
    loop.run_for(seconds(6));
    QCOMPARE(a.released.size(), std::size_t{1});
}

void DataPortTest::invalid_sends_are_refused() {
    Pair p;
    QCOMPARE(p.a.port.send(Sid("c"), tensor(1, 0)).error().code, ErrorCode::not_found);
    QVERIFY(p.a.port.send(Sid("b"), tensor(1, 0)).ok());
    QCOMPARE(p.a.port.send(Sid("b"), tensor(1, 0)).error().code, ErrorCode::conflict);
    auto bad = tensor(2, 0);
    bad.tensor.strides = {7};
    QCOMPARE(p.a.port.send(Sid("b"), bad).error().code, ErrorCode::invalid_input);
    QCOMPARE(p.a.port.unacknowledged(), std::size_t{1});
}

void DataPortTest::data_of_a_non_agent_is_refused() {
    SimLoop loop;
    MemoryTransport net(loop);
    End b(loop, net, "b");
    net.credentials({false, identity::Role::viewer, "eve"});
    End a(loop, net, "a");
    a.port.connect(Sid("b"), 1, b.port.endpoint());
    QVERIFY(a.port.send(Sid("b"), tensor(1, 0)).ok());
    loop.run_for(seconds(1));
    QVERIFY(b.received.empty());
    QCOMPARE(b.trouble.at(0).code, ErrorCode::denied);
}

void DataPortTest::strides_and_shape_survive_encoding() {
    Pair p;
    auto f = tensor(1, 0, 24);
    f.tensor.dtype = graph::DType::float32;
    f.tensor.dims = {2, 3};
    f.tensor.strides = {1, 2};
    f.routing = {{4, "trace"}};
    QVERIFY(p.a.port.send(Sid("b"), f).ok());
    p.loop.run_for(milliseconds(100));
    const auto& got = p.b.received.at(0);
    QCOMPARE(got.tensor.dims, f.tensor.dims);
    QCOMPARE(got.tensor.strides, f.tensor.strides);
    QCOMPARE(got.tensor.dtype, f.tensor.dtype);
    QVERIFY(got.routing == f.routing);
}

DIVISI_TEST(DataPortTest)

}  // namespace data_port_test

#include "data_port_test.moc"
