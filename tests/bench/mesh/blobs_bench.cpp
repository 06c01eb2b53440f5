// SPDX-License-Identifier: Apache-2.0
// Measures a stream of tensors over two routers: alone, during a blob of the lower class, and during a transfer of the
// same bytes as another task's tensors. Also measures the transit time of single tensors in the same three cases.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "backend/frame/crc32c.h"
#include "backend/link/flow_transport.h"
#include "backend/mesh/base/place.h"
#include "tests/bench/mesh/benches.h"
#include "tests/bench/mesh/relaying.h"

namespace divisi::bench {
namespace {

using std::chrono::steady_clock;

/// Bandwidth of the link between the routers, the bottleneck of both flows. It is lower than the rate that two cores
/// can handle.
constexpr double link_bytes_per_s = 150e6;
/// Share of the bandwidth that tensors keep during a blob: fifteen sixteenths, with a margin for a busy machine.
constexpr double wanted_share = 0.9;
/// Longest extra transit time of a single tensor, in milliseconds. On each of the three links a window of the blob may
/// be queued ahead of the tensor; on the slow link alone that window takes 7 ms.
constexpr double wanted_ms = 12;

enum class Company { none, blob, tensors };

Plan plan_with(Company company) {
    Plan plan = line();
    const link::Impairment narrow{false, link_bytes_per_s, {}};
    plan.faults[3][mesh::RoutingId(4)] = narrow;
    plan.faults[4][mesh::RoutingId(3)] = narrow;
    const std::string root = company == Company::blob ? std::string(mesh::blob_root) : "other";
    if (company != Company::none) plan.competing = {TaskId(root), Sid(root + "/1/source"), Sid(root + "/1/sink")};
    return plan;
}

/// One end of a flow. Sends chunks into its gateway, with a limited number in flight.
class Source {
public:
    Source(link::Context& context, link::EventLoop& loop, const Sockets& sockets, const frame::FrameHeader& header,
           int most_under_way, std::atomic<int>& allowed, std::atomic<int>& arrived)
        : transport_(context, loop),
          header_(header),
          payload_(std::make_shared<std::vector<std::byte>>(header.payload_bytes)),
          most_(most_under_way),
          allowed_(allowed),
          arrived_(arrived) {
        header_.payload_crc = frame::crc32c(*payload_);
        link::Channel::Events events;
        events.up = [this] { pump(); };
        const std::string route = "source " + std::to_string(header.source.sid);
        auto made = transport_.connect({sockets.address("mg-1") + ".data", ""}, link::Purpose::data, route, events);
        if (!made) give_up("cannot connect");
        channel_ = *std::move(made);
        loop.every(std::chrono::microseconds(200), [this] { pump(); });
    }

private:
    void pump() {
        while (channel_ && sent_ < allowed_ && sent_ - arrived_ < most_) {
            header_.key.step = sent_;
            if (channel_->send({link::Part::of(frame::encode_header(header_).value()),
                                {payload_, std::span<const std::byte>(*payload_)}}) != link::Sent::yes)
                return;
            ++sent_;
        }
    }

    link::ZmqTransport transport_;
    frame::FrameHeader header_;
    std::shared_ptr<std::vector<std::byte>> payload_;
    std::unique_ptr<link::Channel> channel_;
    int most_, sent_ = 0;
    std::atomic<int>&allowed_, &arrived_;
};

frame::FrameHeader header_of(const std::string& task, const Sid& from, const Sid& to, frame::FrameKind kind,
                             std::uint32_t bytes) {
    frame::FrameHeader header;
    header.key.task = frame::flow_id(TaskId(task));
    header.key.kind = kind;
    header.source = {frame::flow_id(from), 1};
    header.destination = {frame::flow_id(to), 1};
    header.dtype = graph::DType::uint8;
    header.dims = {bytes};
    header.total_bytes = bytes;
    header.payload_bytes = bytes;
    return header;
}

/// Numbers of chunks of each flow that may be sent, and that have arrived.
struct Counts {
    std::atomic<int> tensors = 0, tensors_came = 0, others = 0, others_came = 0;
};

/// The plan's devices as threads, with a source and a receiver for each flow.
class Scene {
public:
    explicit Scene(Company company) : plan_(plan_with(company)) {
        receiver("b", counts.tensors_came);
        if (company != Company::none) receiver("y", counts.others_came);
        for (const Plan::Row& device : plan_.devices)
            add([this, device](link::Context& context, link::EventLoop& loop) {
                return std::make_unique<Relaying>(context, loop, sockets_, plan_, device.id);
            });
        std::this_thread::sleep_for(std::chrono::milliseconds(500));  // all connections are up
        sender(header_of("task", source(0), destination(), frame::FrameKind::activation, chunk_bytes), 64,
               counts.tensors, counts.tensors_came);
        if (company == Company::none) return;
        const bool blob = company == Company::blob;
        // The protocol bounds a blob's pieces in flight; slots bound a task's tensors.
        const std::uint32_t bytes = blob ? link::blob_flow_chunk_bytes : chunk_bytes;
        sender(header_of(plan_.competing->task.value(), plan_.competing->source, plan_.competing->destination,
                         blob ? frame::FrameKind::blob_chunk : frame::FrameKind::activation, bytes),
               blob ? 16 : 64, counts.others, counts.others_came);
    }
    ~Scene() {
        while (!actors_.empty()) actors_.pop_back();
    }
    /// Waits until `wanted` chunks have arrived. Returns the elapsed time in seconds.
    double wait(std::atomic<int>& came, int wanted) {
        const auto begin = steady_clock::now();
        while (came < wanted) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            if (seconds_since(begin) > patience_s) give_up("only " + std::to_string(came) + " chunks arrived");
        }
        return seconds_since(begin);
    }
    Counts counts;

private:
    template <typename Make>
    void add(Make make) {
        actors_.push_back(std::make_unique<Actor>(std::move(make)));
    }
    void receiver(const std::string& name, std::atomic<int>& came) {
        add([this, name, &came](link::Context& context, link::EventLoop& loop) {
            return std::make_unique<Receiving>(context, loop, sockets_, came, name);
        });
    }
    void sender(const frame::FrameHeader& header, int most, std::atomic<int>& allowed, std::atomic<int>& came) {
        add([this, header, most, &allowed, &came](link::Context& context, link::EventLoop& loop) {
            return std::make_unique<Source>(context, loop, sockets_, header, most, allowed, came);
        });
    }

    Sockets sockets_;
    Plan plan_;
    std::vector<std::unique_ptr<Actor>> actors_;
};

constexpr int endless = 1'000'000'000;
/// Number of tensors that are sent one by one. It is small, since each may wait half a second behind others.
constexpr int singles_a_round = 15;

struct Measured {
    double stream_s = 0, single_ms = 0;
    double other_share = 0;  ///< share of the second flow in the bytes that arrived during the stream
};

Measured measure(Company company, int chunks) {
    Scene scene(company);
    Counts& counts = scene.counts;
    // Sets up the flows and starts the second one.
    counts.tensors = 4;
    if (company != Company::none) counts.others = endless;
    scene.wait(counts.tensors_came, 4);
    if (company != Company::none) scene.wait(counts.others_came, 20);
    std::vector<double> singles;
    for (int i = 0; i < singles_a_round; ++i) {
        counts.tensors += 1;
        singles.push_back(1e3 * scene.wait(counts.tensors_came, counts.tensors));
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    const int others_before = counts.others_came, before = counts.tensors;
    counts.tensors += chunks;
    Measured measured;
    measured.stream_s = scene.wait(counts.tensors_came, before + chunks);
    measured.single_ms = median(singles);
    const double each = company == Company::blob ? link::blob_flow_chunk_bytes : chunk_bytes;
    const double others = (counts.others_came - others_before) * each;
    measured.other_share = others / (others + double{chunk_bytes} * chunks);
    return measured;
}

}  // namespace

int blobs_bench(const Arguments& arguments) {
    const int chunks = arguments.empty() ? 200 : std::max(1, std::atoi(arguments.front()));
    constexpr int rounds = 3;
    constexpr Company companies[] = {Company::none, Company::blob, Company::tensors};
    std::vector<double> streams[3], singles[3], others[3];
    for (int round = 0; round < rounds; ++round)
        for (const Company company : companies) {
            const Measured measured = measure(company, chunks);
            const auto i = static_cast<std::size_t>(company);
            streams[i].push_back(measured.stream_s);
            singles[i].push_back(measured.single_ms);
            others[i].push_back(measured.other_share);
        }
    std::printf("tensors of 1 MiB over two routers with %.0f MB/s between them, medians of %d rounds\n",
                link_bytes_per_s / 1e6, rounds);
    const char* names[] = {"alone", "beside a blob", "beside another task's"};
    double share = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const double kept = median_ratio(streams[0], streams[i]);
        if (i == 1) share = kept;
        std::printf("%-22s %6.0f MB/s, ratio to alone %.2f; a single tensor %5.1f ms; share of the other flow %.3f\n",
                    names[i], chunks * double{chunk_bytes} / 1e6 / median(streams[i]), kept, median(singles[i]),
                    median(others[i]));
    }
    const double later = median(singles[1]) - median(singles[0]);
    std::printf("wanted beside a blob: %.2f of alone, a single tensor at most %.0f ms later (it is %.1f)\n",
                wanted_share, wanted_ms, later);
    return share >= wanted_share && later <= wanted_ms ? 0 : 1;
}

}  // namespace divisi::bench
