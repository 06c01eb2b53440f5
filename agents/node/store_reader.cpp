// SPDX-License-Identifier: Apache-2.0
#include "agents/node/store_reader.h"

#include <algorithm>
#include <chrono>

#include "agents/node/store_folder.h"
#include "backend/file/folder.h"
#include "backend/store/store_reader.h"

namespace divisi::node {
namespace {

namespace fs = std::filesystem;

/// Time limit for one list. The orchestrator waits longer (store_questions.cpp), even if other queries are answered
/// first.
constexpr std::chrono::seconds longest_list{2};

}  // namespace

control::StoreList list_stores(const fs::path& folder, const std::string& after) {
    std::error_code ignored;  // if no instance has run, there is no folder
    std::vector<fs::path> files = file::list_folder(folder, ignored);
    std::erase_if(files, [&](const fs::path& file) { return !is_store(file) || file.filename().string() <= after; });
    std::ranges::sort(files);
    control::StoreList list;
    const auto begin = std::chrono::steady_clock::now();
    for (const fs::path& file : files) {
        const bool late = !list.stores.empty() && std::chrono::steady_clock::now() - begin > longest_list;
        list.more = late || list.stores.size() == control::most_listed_stores;
        if (list.more) break;
        list.stores.push_back(store::describe_store(file));
    }
    return list;
}

StoreReader::StoreReader(fs::path folder, Say say)
    : folder_(std::move(folder)), say_(std::move(say)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

StoreReader::~StoreReader() = default;

void StoreReader::ask(Question question) {
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.size() < most_waiting_questions) waiting_.push_back(std::move(question));
    }
    changed_.notify_one();
}

void StoreReader::run(const std::stop_token& stop) {
    while (true) {
        Question question;
        {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [&] { return !waiting_.empty(); }) || stop.stop_requested()) return;
            question = std::move(waiting_.front());
            waiting_.pop_front();
        }
        visit([this](const auto& one) { answer(one); }, question);
    }
}

void StoreReader::answer(const control::ListStores& question) {
    control::StoreList list = list_stores(folder_, question.after);
    list.question = question.question;
    say_(std::move(list));
}

void StoreReader::answer(const control::ReadStore& question) {
    auto page = store::read_store_page(store_file(folder_, question.sid), question);
    control::StorePage told;
    if (page) told = *std::move(page);
    else told.error = page.error();
    told.question = question.question;
    say_(std::move(told));
}

}  // namespace divisi::node
