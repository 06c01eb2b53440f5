// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/error_catalogue.h"

#include <unordered_map>

#include "backend/base/error_texts.h"
#include "backend/control/types/error_texts.h"
#include "backend/file/error_texts.h"
#include "backend/graph/error_texts.h"
#include "backend/link/error_texts.h"
#include "backend/onnx/error_texts.h"
#include "backend/plan/error_texts.h"
#include "backend/price/error_texts.h"
#include "backend/search/error_texts.h"
#include "backend/store/error_texts.h"
#include "backend/submit/error_texts.h"
#include "backend/task/error_texts.h"

namespace divisi::client {

namespace {

constexpr std::span<const ErrorText> catalogues[] = {control::error_texts,
                                                     control::change_error_texts,
                                                     control::network_error_texts,
                                                     control::policy_error_texts,
                                                     control::queue_error_texts,
                                                     control::runs_error_texts,
                                                     task::error_texts,
                                                     search::error_texts,
                                                     price::error_texts,
                                                     plan::error_texts,
                                                     graph::error_texts,
                                                     onnx::error_texts,
                                                     file::error_texts,
                                                     base_error_texts,
                                                     store::error_texts,
                                                     submit::error_texts,
                                                     link::error_texts};

}  // namespace

std::span<const std::span<const ErrorText>> error_catalogues() { return catalogues; }

const ErrorText* find_error(std::string_view id) {
    static const std::unordered_map<std::string_view, const ErrorText*> index = [] {
        std::unordered_map<std::string_view, const ErrorText*> made;
        for (const std::span<const ErrorText> catalogue : catalogues)
            for (const ErrorText& text : catalogue) made.emplace(text.id, &text);
        return made;
    }();
    const auto found = index.find(id);
    return found == index.end() ? nullptr : found->second;
}

}  // namespace divisi::client
